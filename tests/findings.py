"""The findings of a capture in the JSON of `check`, those that are attached to their cause included."""


def all_findings(capture):
    """In the order in which they are printed."""
    return [one for finding in capture['findings'] for one in (finding, *finding.get('related', ()))]
