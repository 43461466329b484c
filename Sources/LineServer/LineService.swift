package import Authorization
package import LineProtocol

/// What stands behind the lines: it is told who came, what they say, and that they left, in that order, and answers on
/// the connection.
package protocol LineService: Sendable {
  /// What a new connection is told first.
  var greeting: ServerLine.Fields { get }

  /// A client whose identity is verified says hello: an app on the apps' socket, nobody in particular on the owners'.
  func hello(_ hello: Hello, tag: String?, app: AppID?, on connection: Connection) async

  /// A command of a client that has said hello. Exactly one reply is sent.
  func perform(_ command: Command, tag: String?, on connection: Connection) async

  /// The connection is gone; finally where the client said so, else it may come back within the grace period.
  func closed(_ connection: Connection, isFinal: Bool) async
}
