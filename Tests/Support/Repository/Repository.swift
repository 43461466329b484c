/// The repository whose tests run.
package enum Repository {
  /// The path of its root, without a slash at the end.
  package static let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
}
