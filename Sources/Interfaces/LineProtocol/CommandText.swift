public import Base

extension TaggedCommand {
  /// The command with its tag as one protocol line, without the line end.
  public var line: String {
    var buffer = TextBuffer()
    write(to: &buffer)
    return buffer.text
  }

  /// Appends the command with its tag to a buffer as one protocol line, without the line end.
  public func write(to buffer: inout TextBuffer) {
    if let tag {
      buffer.append(tag)
      buffer.append(" ")
    }
    command.write(to: &buffer)
  }
}

extension Command {
  /// The command as one protocol line, without a tag and without the line end.
  public var line: String { TaggedCommand(self).line }

  /// Appends the command to a buffer as one protocol line, without a tag and without the line end.
  public func write(to buffer: inout TextBuffer) {
    switch self {
    case .hello(let hello): hello.write(to: &buffer)
    case .authenticate(.token(let token)): buffer.append("AUTH token=", token)
    case .authenticate(.hmac(let digits)): buffer.append("AUTH hmac=", digits)
    case .subscribe(let filter, let sid, let qos):
      buffer.append("SUB ", filter.description)
      buffer.append(" ", sid)
      buffer.append(" ", qos)
    case .unsubscribe(let sid, let after):
      buffer.append("UNSUB ", sid)
      buffer.append(" ", after)
    case .requestOnce(let request): request.write(to: &buffer)
    case .cancel: buffer.append("CANCEL")
    case .startUpdates(let request): request.write(to: &buffer)
    case .stopUpdates: buffer.append("STOP updates")
    case .authorize(let requested, let purpose):
      buffer.append("AUTHORIZE ", requested.rawValue)
      buffer.append(" purpose=", purpose)
    case .state(let isInBackground): buffer.append(isInBackground ? "STATE background" : "STATE foreground")
    case .region(let command): command.write(to: &buffer)
    case .acknowledge(let id): buffer.append("ACK ", id)
    case .status: buffer.append("STATUS")
    case .ping: buffer.append("PING")
    case .help: buffer.append("HELP")
    case .bye: buffer.append("BYE")
    case .owner(let command): command.write(to: &buffer)
    }
  }
}

extension Hello {
  fileprivate func write(to buffer: inout TextBuffer) {
    buffer.append("HELLO")
    for (index, version) in versions.enumerated() { buffer.append(index == 0 ? " " : ",", version) }
    buffer.append(" app=", app)
    buffer.append(" keepalive=", keepalive)
    buffer.append(" session=", session)
    buffer.append(" nonce=", nonce)
    if usesCRC { buffer.append(" crc") }
  }
}

extension OnceRequest {
  fileprivate func write(to buffer: inout TextBuffer) {
    buffer.append("REQ once")
    buffer.append(" accuracy=", accuracy?.rawValue)
    buffer.append(" max-age=", maximumAge)
    buffer.append(" timeout=", timeout)
    if requiresPress { buffer.append(" press=required") }
    buffer.append(" purpose=", purpose)
  }
}

extension UpdatesRequest {
  fileprivate func write(to buffer: inout TextBuffer) {
    buffer.append("START updates")
    buffer.append(" interval=", interval)
    buffer.append(" distance=", distance)
    if isBackground { buffer.append(" background") }
  }
}
