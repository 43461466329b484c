import Clocks

extension TaggedCommand {
  /// The line, without its line end, that reads back as this command.
  public var line: String { (tag.map { "\($0) " } ?? "") + command.line }
}

extension Command {
  /// The line, without its line end, that reads back as this command.
  public var line: String {
    switch self {
    case .hello(let hello): hello.line
    case .subscribe(let filter, let sid, let qos): "SUB \(filter) \(sid)" + (qos.map { " \($0)" } ?? "")
    case .unsubscribe(let sid, let after): "UNSUB \(sid)" + (after.map { " \($0)" } ?? "")
    case .requestOnce(let request): request.line
    case .cancel: "CANCEL"
    case .acknowledge(let id): "ACK \(id)"
    case .status: "STATUS"
    case .ping: "PING"
    case .help: "HELP"
    case .bye: "BYE"
    case .owner(let command): command.line
    }
  }
}

extension Hello {
  fileprivate var line: String {
    var line = "HELLO"
    if !versions.isEmpty { line += " " + versions.map(String.init).joined(separator: ",") }
    if let app { line += " app=\(app)" }
    line += " keepalive=\(keepalive)"
    if let session { line += " session=\(session)" }
    return line
  }
}

extension OnceRequest {
  fileprivate var line: String {
    var line = "REQ once"
    if let accuracy { line += " accuracy=\(accuracy.rawValue)" }
    if let maximumAge { line += " max-age=\(maximumAge)" }
    if let timeout { line += " timeout=\(timeout)" }
    if requiresPress { line += " press=required" }
    if let purpose { line += " purpose=\(purpose)" }
    return line
  }
}

extension OwnerCommand {
  fileprivate var line: String {
    switch self {
    case .apps: return "APPS"
    case .verify: return "VERIFY"
    case .counts(let since): return "COUNTS" + (since.map { " since=\($0.iso8601)" } ?? "")
    case .log(let since, let app, let limit, let after):
      return "LOG" + (since.map { " since=\($0.iso8601)" } ?? "") + (app.map { " app=\($0)" } ?? "")
        + (limit.map { " limit=\($0)" } ?? "") + (after.map { " after=\($0)" } ?? "")
    case .answer(let prompt, let yes): return "ANSWER \(prompt) \(yes ? "yes" : "no")"
    case .lock: return "LOCK"
    case .press(let milliseconds, let button):
      return "PRESS" + (milliseconds.map { " ms=\($0)" } ?? "") + (button.map { " button=\($0)" } ?? "")
    case .hold(let button): return "HOLD" + (button.map { " button=\($0)" } ?? "")
    }
  }
}
