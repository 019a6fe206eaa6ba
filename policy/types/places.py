"""Strict readers of paths, URLs, mail addresses and IP addresses: what is unusual has no reading at all.

Two programs that read an unusual text differently are the way around a rule, so each reader accepts the plain
form only (RFC 3986 and RFC 1123 hosts, RFC 5321 dot-atoms, RFC 4291 and dotted-quad addresses).
"""

from __future__ import annotations

import re
import unicodedata
from ipaddress import AddressValueError, IPv4Address, IPv6Address

_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_PATH_MARKS = "/\\.%"
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")
_URL = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*://"
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::(?P<port>[0-9]{1,5}))?"
    r"(?:[/?#][!-\[\]-~]*)?"
)
_MAILBOX = re.compile(r"[A-Za-z0-9#$&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9#$&'*+/=?^_`{|}~-]+)*")
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def lower_ascii(text: str) -> str:
    """The text with A-Z in lower case and every other character as it is."""
    return text.translate(_LOWER)


def path_is_plain(path: str) -> bool:
    """Whether a path is absolute and in plain form: `/`, or segments behind single slashes.

    No `..` anywhere, no segment `.`, no empty segment (so no slash at the end), no backslash, percent sign, control
    or invisible character, nothing that is not NFC or that a compatibility form turns into one of these marks.
    """
    if not path.startswith("/") or ".." in path or "\\" in path or "%" in path:
        return False
    if not path.isascii():
        folded = unicodedata.normalize("NFKC", path)
        if not unicodedata.is_normalized("NFC", path) or any(folded.count(m) != path.count(m) for m in _PATH_MARKS):
            return False
    if any(unicodedata.category(character) in _UNSEEN_CATEGORIES for character in path):
        return False
    return path == "/" or all(segment not in ("", ".") for segment in path[1:].split("/"))


def inside(path: str, root: str) -> bool | None:
    """Whether a path is the root or below it by whole segments; None where one of them is not in plain form."""
    if not path_is_plain(path) or not path_is_plain(root):
        return None
    return root in ("/", path) or path.startswith(root + "/")


def parse_ip(text: str) -> IPv4Address | IPv6Address | None:
    """The address of a dotted quad or an IPv6 text, or None where it is malformed.

    An IPv4-mapped IPv6 address is the IPv4 address it maps, so that a network rule sees both forms alike; an
    address with a zone (`fe80::1%eth0`) is refused.
    """
    try:
        if ":" not in text:
            return IPv4Address(text)
        address = IPv6Address(text)
    except AddressValueError:
        return None
    if address.scope_id is not None:
        return None
    return address.ipv4_mapped or address


def host(url: str) -> str | None:
    """The lower-case host of an absolute URL `scheme://host[:port][/…]`, or None for anything unusual.

    Refused: user info, an encoded or non-ASCII character anywhere in the authority, white space, backslashes and
    non-ASCII anywhere, an empty or too large port, a trailing dot, numbers that are no dotted quad, IPv4 in IPv6.
    An IPv6 host is given in its shortest form without brackets.
    """
    found = _URL.fullmatch(url)
    if found is None or int(found["port"] or "0") > 65_535:
        return None
    name = lower_ascii(found["host"])
    if not name.startswith("["):
        return _host_name(name)
    address = parse_ip(name[1:-1])
    return str(address) if isinstance(address, IPv6Address) else None


def mail_domain(address: str) -> str | None:
    """The lower-case domain of a mail address `local@domain`, or None for anything unusual.

    Refused: more than one `@`, quoted local parts, comments, routing characters (`%`, `!`), address literals,
    non-ASCII, a domain that is no host name or is an IP address.
    """
    if address.count("@") != 1 or len(address) > 254:
        return None
    local, _, domain = address.partition("@")
    if len(local) > 64 or _MAILBOX.fullmatch(local) is None:
        return None
    name = _host_name(lower_ascii(domain))
    return None if name is None or parse_ip(name) is not None else name


def _host_name(name: str) -> str | None:
    labels = name.split(".")
    if len(name) > 253 or any(_LABEL.fullmatch(label) is None for label in labels):
        return None
    if _NUMERIC_LABEL.fullmatch(labels[-1]) is not None:
        # Resolvers read `127.1`, `0x7f.1` or `2130706433` as addresses: only the dotted quad has one reading.
        return name if parse_ip(name) is not None else None
    return name
