/// The headers of every response.
package enum PageHeaders {
  package static let all: [(name: String, value: String)] = [
    // The policy permits only the page's own style and script, no frames, and no conversion of text to markup.
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    ("X-Frame-Options", "DENY"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Permissions-Policy", "geolocation=()"), ("Cache-Control", "no-store"), ("Vary", "Accept-Language"),
    // Each request uses a new connection, so the limits of a connection are also the limits of a request.
    ("Connection", "close"),
  ]
}
