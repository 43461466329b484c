import Clocks
import LineProtocol

/// What brokers hand over: any payload is a request or a fault of its, and a request is one that the line protocol could
/// say. Any text is bytes in base64url in one way, or none.
public func requestHolds(_ bytes: [UInt8]) {
  verifyBase64(bytes)
  do throws(BridgeRequest.Fault) {
    guard let request = try BridgeRequest(bytes, arrived: UTCTime(nanosecondsSince1970: 1_795_246_294_000_000_000))
    else { return }
    precondition(request.id.map { (1...64).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 < 0x80 } } != false)
    let tagged = TaggedCommand(.requestOnce(request.options))
    var buffer = TextBuffer()
    tagged.write(to: &buffer)
    precondition(!buffer.bytes.contains { $0 < 0x20 || $0 == 0x7F })
    precondition((try? TaggedCommand(parsing: buffer.bytes.span)) == tagged)
  } catch {
    // It is told in one line.
    precondition(!error.error.text.utf8.contains { $0 < 0x20 || $0 == 0x7F })
  }
}

private func verifyBase64(_ bytes: [UInt8]) {
  precondition(Base64URL.bytes(of: Base64URL.text(of: bytes)) == bytes)
  guard let text = String(validating: bytes, as: UTF8.self), let read = Base64URL.bytes(of: text) else { return }
  precondition(Base64URL.text(of: read) == text.prefix { $0 != "=" })
}
