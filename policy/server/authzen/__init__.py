"""OpenID AuthZEN Authorization API 1.0 and the drafts beside it, one module each.

- `messages`, `evaluation`, `metadata`: the Authorization API 1.0.
- `mapping`: what its subject, action, resource and context become.
- `answer`: decisions as AuthZEN responses.
- `access_request`: the Access Request and Approval profile (draft 1).
- `obligations`: the Obligations extension (draft 1).
"""
