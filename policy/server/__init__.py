"""The decision service: HTTP on top of an authorizer. Needs the extra `serve`."""
