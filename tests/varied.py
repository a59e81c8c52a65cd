"""A sample of recipes that lacks nothing which some recipe has."""
import re


def varied(recipes, times=1, without=()):
    """The recipes with a word that fewer than so many of those before have: the name of a record, feature, field, flag, statement
    or finding. Lines that begin with a word of `without`, texts and comments do not count."""
    seen, chosen = {}, []
    for path in recipes:
        lines = [re.sub(r'"[^"]*"|#.*', '', line) for line in path.read_text().splitlines() if not line.startswith(tuple(without))]
        words = set(re.findall(r'\b[A-Za-z_]\w+\b(?!:)', '\n'.join(lines)))
        if any(seen.get(word, 0) < times for word in words):
            chosen.append(path)
            for word in words:
                seen[word] = seen.get(word, 0) + 1
    return chosen
