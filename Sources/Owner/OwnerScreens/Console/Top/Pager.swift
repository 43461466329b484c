/// A text in pages, for example the help, which replaces the lists on the screen of `onefix top`.
struct Pager: Hashable, Sendable {
  enum Contents: Hashable, Sendable {
    case help
    case lines([String])
  }

  let contents: Contents
  var page = 0

  init(contents: Contents) { self.contents = contents }
}
