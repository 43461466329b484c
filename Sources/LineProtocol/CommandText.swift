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
    case .authenticate(.token(let token)): "AUTH token=\(token)"
    case .authenticate(.hmac(let digits)): "AUTH hmac=\(digits)"
    case .subscribe(let filter, let sid, let qos): "SUB \(filter) \(sid)" + (qos.map { " \($0)" } ?? "")
    case .unsubscribe(let sid, let after): "UNSUB \(sid)" + (after.map { " \($0)" } ?? "")
    case .requestOnce(let request): request.line
    case .cancel: "CANCEL"
    case .startUpdates(let request): request.line
    case .stopUpdates: "STOP updates"
    case .authorize(let wish, let purpose):
      "AUTHORIZE \(wish.rawValue)" + (purpose.map { " purpose=\($0)" } ?? "")
    case .state(let isInBackground): isInBackground ? "STATE background" : "STATE foreground"
    case .region(let command): command.line
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
    if let nonce { line += " nonce=\(nonce)" }
    if usesCRC { line += " crc" }
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

extension UpdatesRequest {
  fileprivate var line: String {
    "START updates" + (interval.map { " interval=\($0)" } ?? "") + (distance.map { " distance=\($0)" } ?? "")
      + (isBackground ? " background" : "")
  }
}

extension OwnerCommand {
  fileprivate var line: String {
    switch self {
    case .apps: return "APPS"
    case .prompts: return "PROMPTS"
    case .verify: return "VERIFY"
    case .counts(let since): return "COUNTS" + (since.map { " since=\($0.iso8601)" } ?? "")
    case .log(let since, let app, let limit, let after):
      return "LOG" + (since.map { " since=\($0.iso8601)" } ?? "") + (app.map { " app=\($0)" } ?? "")
        + (limit.map { " limit=\($0)" } ?? "") + (after.map { " after=\($0)" } ?? "")
    case .answer(let prompt, let choice, let accuracy):
      return "ANSWER \(prompt) \(choice.rawValue)" + (accuracy.map { " accuracy=\($0.rawValue)" } ?? "")
    case .set(let app, .status(let status)): return "SET \(app) status \(status.rawValue)"
    case .set(let app, .accuracy(let accuracy)): return "SET \(app) accuracy \(accuracy.rawValue)"
    case .use(let app): return "USE \(app)"
    case .reset(let app): return "RESET \(app)"
    case .addKey(let app, let isToken): return "KEY ADD \(app)" + (isToken ? " token" : "")
    case .revokeKey(let app): return "KEY REVOKE \(app)"
    case .reload: return "RELOAD"
    case .lock: return "LOCK"
    case .regions(let app): return "REGIONS" + (app.map { " app=\($0)" } ?? "")
    case .press(let milliseconds, let button):
      return "PRESS" + (milliseconds.map { " ms=\($0)" } ?? "") + (button.map { " button=\($0)" } ?? "")
    case .hold(let button): return "HOLD" + (button.map { " button=\($0)" } ?? "")
    }
  }
}
