/// A long text, for example the help, which the terminal program `onefix top` shows in pages.
struct Pager: Hashable, Sendable {
  enum Contents: Hashable, Sendable {
    case help
    case lines([String])
  }

  let contents: Contents
  var page = 0

  init(contents: Contents) { self.contents = contents }
}
