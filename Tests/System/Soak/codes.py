"""The error codes of the line protocol in its contract."""

CODES = {
    400: "bad-line", 401: "bad-crc", 402: "line-too-long", 403: "unknown-verb", 404: "bad-topic", 405: "bad-argument",
    410: "not-determined", 411: "denied", 412: "restricted", 413: "not-in-use", 414: "locked", 420: "no-press",
    421: "already-armed", 422: "expired", 430: "rate-limited", 431: "too-many", 432: "not-owner", 500: "internal",
    510: "no-fix", 511: "receiver-absent", 512: "indicator", 513: "store", 514: "not-saved", 900: "auth-required",
    901: "auth-timeout", 902: "auth-failed", 903: "proto-mismatch", 904: "slow-consumer", 905: "keepalive-timeout",
    906: "shutting-down"}
