"""Paths, hosts, mail domains and addresses: the plain form has a reading, everything unusual has none."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from policy.types.places import host, inside, lower_ascii, mail_domain, parse_ip, path_is_plain


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("/srv/data", "/srv/data", True),
        ("/srv/data/a.txt", "/srv/data", True),
        ("/srv/data/a/b", "/srv/data", True),
        ("/srv/database", "/srv/data", False),
        ("/srv", "/srv/data", False),
        ("/", "/", True),
        ("/a", "/", True),
        ("/srv/Data/a", "/srv/data", False),
        ("/srv/übersicht", "/srv", True),
        ("/srv/data/../x", "/srv/data", None),
        ("/srv/data/..", "/srv/data", None),
        ("/srv/data/..;/x", "/srv/data", None),
        ("/srv/./data", "/srv/data", None),
        ("/srv//data", "/srv/data", None),
        ("//srv/data", "/srv/data", None),
        ("/srv/data/", "/srv/data", None),
        ("/srv/data/%2e%2e/x", "/srv/data", None),
        ("/srv/data\\..\\x", "/srv/data", None),
        ("srv/data", "/srv/data", None),
        ("", "/srv/data", None),
        ("~/data", "/srv/data", None),
        ("/srv/data/a\0b", "/srv/data", None),
        ("/srv/data/a\nb", "/srv/data", None),
        ("/srv/data/a\x7f", "/srv/data", None),
        ("/srv/data/a\x85", "/srv/data", None),
        ("/srv/data/a\u200bb", "/srv/data", None),
        ("/srv/data/a\u202eb", "/srv/data", None),
        ("/srv/data/u\u0308", "/srv/data", None),
        ("/srv/data\uff0f..", "/srv/data", None),
        ("/srv/data/\uff0e\uff0e/x", "/srv/data", None),
        ("/srv/data/\u2026", "/srv/data", None),
        ("/srv/data", "/srv/../data", None),
        ("/srv/data", "data", None),
    ],
)
def test_inside(path: str, root: str, expected: bool | None) -> None:
    assert inside(path, root) is expected


def test_a_dot_in_a_name_is_plain() -> None:
    assert path_is_plain("/srv/.config/a.b.c") is True
    assert path_is_plain("/srv/a..b") is False


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com", "example.com"),
        ("https://Example.COM/path?q=1#f", "example.com"),
        ("HTTPS://example.com:8443/a@b", "example.com"),
        ("https://example.com?x", "example.com"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example"),
        ("https://localhost/", "localhost"),
        ("http://127.0.0.1:80/", "127.0.0.1"),
        ("http://[2001:DB8::1]/", "2001:db8::1"),
        ("http://[::1]:8080", "::1"),
        ("s3://bucket-1/key", "bucket-1"),
    ],
)
def test_the_host_of_a_plain_url(url: str, expected: str) -> None:
    assert host(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "//example.com/",
        "https:/example.com",
        "https:example.com",
        "https:\\\\example.com",
        "https://",
        "https:///path",
        "mailto:a@example.com",
        "https://user@example.com/",
        "https://user:secret@example.com/",
        "https://good.example@evil.example/",
        "https://good.example\\@evil.example/",
        "https://evil.example\\.good.example/",
        "https://ex%61mple.com/",
        "https://exämple.com/",
        "https://example.com\u3002evil.example/",
        "https://example.com/\u00fc",
        "https://example.com./",
        "https://.example.com/",
        "https://a..b/",
        "https://-a.example/",
        "https://a_b.example/",
        "https://example.com:/",
        "https://example.com:99999/",
        "https://example.com:8o/",
        "https://example.com /",
        " https://example.com",
        "https://example.com\n",
        "https://example.com/a b",
        "https://exam\tple.com/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://127.1/",
        "http://0177.0.0.1/",
        "http://127.0.0.1.0x1/",
        "http://[::ffff:127.0.0.1]/",
        "http://[fe80::1%25eth0]/",
        "http://[::1/",
        "http://[]/",
        f"https://{'a' * 64}.example/",
        f"https://{'a.' * 130}example/",
    ],
)
def test_an_unusual_url_has_no_host(url: str) -> None:
    assert host(url) is None


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("ada@example.com", "example.com"),
        ("Ada.L+x@Mail.Example.COM", "mail.example.com"),
        ("o'neil@example.com", "example.com"),
        ("root@localhost", "localhost"),
    ],
)
def test_the_domain_of_a_plain_address(address: str, expected: str) -> None:
    assert mail_domain(address) == expected


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ada",
        "@example.com",
        "ada@",
        "ada@evil.example@good.example",
        '"ada@evil"@good.example',
        '"ada"@example.com',
        "ada(comment)@example.com",
        "Ada <ada@example.com>",
        "ada@example.com,bob",
        "ada@example.com ",
        "ada@example.com\n",
        "ada@example.com.",
        "ada@exa_mple.com",
        "ada@[127.0.0.1]",
        "ada@127.0.0.1",
        "ada@2130706433",
        "ada%evil.example@good.example",
        "evil.example!ada@good.example",
        ".ada@example.com",
        "ada..l@example.com",
        "ädä@example.com",
        "ada@exämple.com",
        "a" * 65 + "@example.com",
    ],
)
def test_an_unusual_address_has_no_domain(address: str) -> None:
    assert mail_domain(address) is None


def test_addresses() -> None:
    assert parse_ip("10.1.2.3") == ip_address("10.1.2.3")
    assert parse_ip("2001:db8::1") == ip_address("2001:db8::1")
    assert parse_ip("::ffff:10.1.2.3") == ip_address("10.1.2.3")
    refused = (
        "",
        "10.1.2",
        "010.1.2.3",
        "10.1.2.3/32",
        " 10.1.2.3",
        "10.1.2.3\n",
        "fe80::1%eth0",
        "::1\n",
        "1",
        "１0.1.2.3",
    )
    assert [parse_ip(text) for text in refused] == [None] * len(refused)


def test_only_ascii_letters_are_lowered() -> None:
    assert lower_ascii("AZaz\u0130\u212aÄ") == "azaz\u0130\u212aÄ"
