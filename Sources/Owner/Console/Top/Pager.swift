/// A text that is shown page by page in place of the lists.
struct Pager: Hashable, Sendable {
  enum Contents: Hashable, Sendable {
    case help
    case lines([String])
  }

  let contents: Contents
  var page = 0

  init(contents: Contents) { self.contents = contents }
}
