"""Ids are ``prefix_`` + the first 80 bits of a SHA-256 over the base's namespace and the canonical content.

They never depend on time, order or row numbers: the same content in a base of the same namespace has the same id.
"""

import hashlib
import json
import secrets

ID_HEX = 20


def digest(*parts: object) -> str:
    """SHA-256 over the parts as canonical JSON; parts cannot run into each other."""
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def stable_id(prefix: str, namespace: str, *content: object) -> str:
    return f"{prefix}_{digest(namespace, prefix, *content)[:ID_HEX]}"


def random_id(prefix: str) -> str:
    """For things that are events, not content: jobs, tokens, bases, exports."""
    return f"{prefix}_{secrets.token_hex(ID_HEX // 2)}"


def sha256_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
