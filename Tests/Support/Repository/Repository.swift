/// The repository that contains the running tests.
package enum Repository {
  /// The path of the root, without a slash at the end.
  package static let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
}
