import Base
import Testing

@Test func `a text in markup has no special characters and no control characters`() {
  #expect(
    Markup.escaped("a&b<c>d\"e'f\u{1F} ~\u{7F}\u{9F}\u{A0}é")
      == "a&amp;b&lt;c&gt;d&quot;e&#39;f\u{FFFD} ~\u{FFFD}\u{FFFD}\u{A0}é")
}
