"""TLS 1.3 records as a server may send them and no library does: one new session ticket after the other."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

CIPHER = "TLS_AES_256_GCM_SHA384"
_APPLICATION_DATA, _HANDSHAKE, _NEW_SESSION_TICKET = 23, 22, 4  # RFC 8446, 5.1 and 4


def tickets(secret: bytes) -> Iterator[bytes]:
    """Records without end, from the server's first traffic secret (RFC 8446, 7.3) and before anything else was sent."""
    sealing, start = AESGCM(_derived(secret, b"key", 32)), _derived(secret, b"iv", 12)
    body = struct.pack(">II", 7200, 1) + b"\x01n" + struct.pack(">H", 16) + b"t" * 16 + b"\0\0"
    message = bytes([_NEW_SESSION_TICKET]) + len(body).to_bytes(3, "big") + body
    content = message * 200 + bytes([_HANDSHAKE])
    head = struct.pack(">BHH", _APPLICATION_DATA, 0x0303, len(content) + 16)
    number = 0
    while True:
        nonce = bytes(one ^ other for one, other in zip(start, number.to_bytes(12, "big"), strict=True))
        yield head + sealing.encrypt(nonce, content, head)
        number += 1


def _derived(secret: bytes, name: bytes, length: int) -> bytes:
    label = b"tls13 " + name
    info = struct.pack(">HB", length, len(label)) + label + b"\0"
    return HKDFExpand(algorithm=hashes.SHA384(), length=length, info=info).derive(secret)
