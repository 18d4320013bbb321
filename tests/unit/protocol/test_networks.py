import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.networks import is_public


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "223.255.255.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"],
)
def test_globally_routable_address_is_public(address):
    assert is_public(ipaddress.ip_address(address))


@given(st.ip_addresses(v=4))
def test_non_global_ipv4_address_is_never_public(address):
    assert address.is_global or not is_public(address)


@given(st.ip_addresses(v=6, network="4000::/2") | st.ip_addresses(v=6, network="8000::/1"))
def test_unallocated_ipv6_address_is_never_public(address):
    assert not is_public(address)
