/// The HTTP header fields of every response of the owners' web page.
package enum PageHeaders {
  package static let all: [(name: String, value: String)] = [
    // The content security policy permits only the style sheet and the script of this page. It forbids frames in the
    // page, frames around the page, and scripts that convert text to HTML elements.
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    ("X-Frame-Options", "DENY"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Permissions-Policy", "geolocation=()"), ("Cache-Control", "no-store"), ("Vary", "Accept-Language"),
    // The server closes each connection after one request, so the limit on connections also limits requests.
    ("Connection", "close"),
  ]
}
