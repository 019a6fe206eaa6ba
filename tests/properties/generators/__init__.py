"""Generators of policies that use the whole language, and of capabilities, requests, votes, records and histories.

They share one small world (routes, scopes, roles, people), so that rules, requests and votes meet often.
"""
