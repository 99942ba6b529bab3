"""Access as a policy file of SROS 2, version 0.2.0 of its schema."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from gdl_env.ros.security.access import Access

_VERSION = '0.2.0'
# Fields of an access: the element that lists names, the one of each name, and the permission.
_LISTS = {
    'publishes': ('topics', 'topic', 'publish'),
    'subscribes': ('topics', 'topic', 'subscribe'),
    'serves': ('services', 'service', 'reply'),
    'requests': ('services', 'service', 'request'),
    'executes': ('actions', 'action', 'execute'),
    'calls': ('actions', 'action', 'call'),
}


def enclave_path(namespace: str, access: Access) -> str:
    """Return the path of the enclave of a node."""
    return '/' + '/'.join(filter(None, [namespace.strip('/'), access.enclave]))


def write_policy(namespace: str, nodes: Iterable[Access]) -> str:
    """Return the text of a policy file: an enclave for each node; what is not said is denied."""
    policy = Element('policy', version=_VERSION)
    enclaves = SubElement(policy, 'enclaves')
    for node in nodes:
        enclave = SubElement(enclaves, 'enclave', path=enclave_path(namespace, node))
        profiles = SubElement(enclave, 'profiles')
        space = f'/{namespace.strip("/")}'
        profile = SubElement(profiles, 'profile', ns=space, node=node.node)
        for field, (list_name, item_name, permission) in _LISTS.items():
            names = sorted(set(getattr(node, field)))
            if names:
                listed = SubElement(profile, list_name, {permission: 'ALLOW'})
                for name in names:
                    SubElement(listed, item_name).text = name
    indent(policy)
    return tostring(policy, 'unicode', xml_declaration=True) + '\n'
