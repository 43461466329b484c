/// What every answer says besides its content.
package enum PageHeaders {
  package static let all: [(name: String, value: String)] = [
    // Nothing is loaded but the page's own style and script, nothing is framed, and no text becomes markup.
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    ("X-Frame-Options", "DENY"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Permissions-Policy", "geolocation=()"), ("Cache-Control", "no-store"), ("Vary", "Accept-Language"),
    // Each request has a connection of its own, so that what one may take is all that a connection may.
    ("Connection", "close"),
  ]
}
