"""Public capability formats: AIP, ACC, OpenAPI and MCP bindings."""
