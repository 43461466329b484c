import LineProtocol
import NIOCore

/// A command that the client has sent, and whose reply has not arrived yet.
struct PendingCommand {
  let command: Command
  let text: String
  /// Whether the client sent the command more than once. The gateway may then have executed the command already.
  var isRepeated = false
  let reply: OneShot<Result<Link.Reply, LinkError>>
  /// A test whether a message is an element of the list that the command requests; nil if the command requests no
  /// list.
  let isElement: Link.ElementTest?
  /// The elements of the requested list that have arrived so far. The reply to the command follows the last element.
  var messages: [ServerLine.Message] = []
  /// The timer that closes the connection if no reply arrives. The value is nil if the client is an owner
  /// (administrator), because replies to owners have no time limit.
  var timeout: Scheduled<Void>?
  var repetition: RepeatedTask?

  func end(_ result: Result<ServerLine.Fields, LinkError>) {
    timeout?.cancel()
    repetition?.cancel()
    reply.resolve(result.map { ($0, messages) })
  }
}

extension Command {
  /// Returns whether an error for a repeated command means that the gateway has already executed the command.
  func isDone(accordingTo code: ErrorCode) -> Bool {
    switch self {
    case .acknowledge: code == .expired
    case .unsubscribe(_, nil), .region(.remove): code == .badArgument
    case .hello, .authenticate, .subscribe, .unsubscribe, .requestOnce, .cancel, .startUpdates, .stopUpdates,
      .authorize, .state, .region, .status, .ping, .help, .bye, .owner:
      false
    }
  }
}
