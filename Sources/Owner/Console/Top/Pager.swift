/// A text that the screen shows in place of the lists. The user can turn the pages of the text.
struct Pager: Hashable, Sendable {
  enum Contents: Hashable, Sendable {
    case help
    case lines([String])
  }

  let contents: Contents
  var page = 0

  init(contents: Contents) { self.contents = contents }
}
