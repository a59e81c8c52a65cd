"""A checker for the JSON schemas in tools: the words of JSON Schema that they use."""
import re

KINDS = {'object': dict, 'array': list, 'string': str, 'integer': int, 'number': (int, float), 'null': type(None)}


def conforms(value, schema, root, where='capture'):
    """Asserts that a value is as its schema says; root is the whole of the schema."""
    if '$ref' in schema:
        return conforms(value, root['$defs'][schema['$ref'].rsplit('/', 1)[1]], root, where)
    if 'type' in schema:
        wanted = schema['type'] if isinstance(schema['type'], list) else [schema['type']]
        assert isinstance(value, tuple(KINDS[k] for k in wanted)) and not isinstance(value, bool), (where, value)
    if 'anyOf' in schema:
        assert any(isinstance(value, KINDS[one['type']]) for one in schema['anyOf']), (where, value)
        schema = next(one for one in schema['anyOf'] if isinstance(value, KINDS[one['type']]))
    assert 'enum' not in schema or value in schema['enum'], (where, value)
    assert 'const' not in schema or value == schema['const'], (where, value)
    if 'pattern' in schema:
        assert re.search(schema['pattern'], value), (where, value)
    if isinstance(value, dict):
        assert set(schema.get('required', [])) <= set(value), where
        for name, member in value.items():
            known = schema.get('properties', {})
            assert name in known or 'additionalProperties' in schema, f'{where}.{name} is not in the schema'
            conforms(member, known.get(name, schema.get('additionalProperties')), root, f'{where}.{name}')
    if isinstance(value, list):
        for i, item in enumerate(value):
            conforms(item, schema['items'], root, f'{where}[{i}]')
