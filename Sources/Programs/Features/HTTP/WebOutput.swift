import Base
import LineProtocol
import OperatingSystem
import Ports
import Synchronization

/// An output to a web server, which receives each fix in its own HTTP request.
struct WebOutput: OutputTarget {
  /// The maximum count of redirects in one delivery. Each redirect must stay at the same server.
  private static let mostRedirects = 3
  /// The maximum delay that a server may ask for before the next attempt. Fixes expire after 24 hours, so a longer
  /// delay could lose fixes.
  private static let longestPause = Duration.seconds(3600)
  /// The maximum count of characters of an error text, which the status of the gateway contains.
  private static let longestDetail = 120

  let address: WebAddress
  let format: WebFormat
  let topics: BridgeTopics
  let credentials: WebCredentials?
  let client: WebClient
  private let spare = SpareConnection()
  private let interrupted = InterruptedRedirect()

  func test() async throws(OutputError) {
    try await connection("connect to").close()
    // A delivery would fail without the secret.
    _ = try await authorization()
  }

  /// The indication can end while a slow network connects, or while a slow server redirects. The output then keeps the
  /// connection and the redirect, so that the fix leaves in time when the gateway gives it again.
  func deliver(
    _ publication: Publication, while isIndicated: @escaping @Sendable () -> Bool
  ) async throws(OutputError) -> Bool {
    guard publication.messages.count == 2 else { return true }
    let (id, body) = (String(decoding: publication.messages[0].payload, as: UTF8.self), publication.messages[1].payload)
    let begin = interrupted.take(of: id) ?? (target: address.target, redirects: 0)
    var request = WebRequest(target: begin.target, fields: try await fields(id: id, length: body.count), body: body)
    for redirects in begin.redirects...Self.mostRedirects {
      let connection = try await connection("send a fix to")
      // Each redirect sends the whole fix again, so each one needs the indication. (Invariant 1)
      guard isIndicated() else {
        spare.put(connection)
        interrupted.put(request.target, after: redirects, of: id)
        return false
      }
      let answer = try await answer(to: request, on: connection)
      switch answer.status {
      case 200...299: return true
      // Other redirects permit a client to send a GET without the fix. (RFC 9110 §15.4)
      case 307, 308:
        guard let next = answer.location.flatMap({ address.redirected(to: $0) }) else { throw rejection(answer) }
        request.target = next.target
      case 408, 429, 500...599: throw busy(answer, at: SystemClock.reading.utc)
      default: throw rejection(answer)
      }
    }
    throw error("send a fix to", .redirected, detail: "too many redirects")
  }

  /// Returns an open connection to the server: the spare connection, or a new one if there is none.
  private func connection(_ operation: String) async throws(OutputError) -> WebConnection {
    if let connection = spare.take() { return connection }
    do throws(WebFailure) {
      return try await client.open()
    } catch {
      throw self.error(operation, error.fault, detail: error.detail)
    }
  }

  private func answer(to request: WebRequest, on connection: WebConnection) async throws(OutputError) -> WebAnswer {
    do throws(WebFailure) {
      return try await client.answer(to: request, on: connection)
    } catch {
      throw self.error("send a fix to", error.fault, detail: error.detail)
    }
  }

  private func fields(id: String, length: Int) async throws(OutputError) -> [WebRequest.Field] {
    var fields: [(String, String)] = [
      ("Host", address.authority), ("User-Agent", "onefix"), ("Connection", "close"),
      ("Content-Type", format.contentType), ("Content-Length", "\(length)"),
      // A server that knows the field can drop a fix that came twice. (IETF draft, "The Idempotency-Key HTTP Header
      // Field": the value is a string in quotation marks)
      ("Idempotency-Key", "\"\(id)\""),
    ]
    if let authorization = try await authorization() { fields.append(("Authorization", authorization)) }
    return (fields + format.fields(topics)).map(WebRequest.Field.init)
  }

  /// Returns the value of the header field `Authorization`; nil without credentials. The secret is read on a thread
  /// pool, because a file can be slow.
  private func authorization() async throws(OutputError) -> String? {
    guard let credentials else { return nil }
    guard let result = await onThread({ () throws(OutputError) in try credentials.authorization() }) else {
      throw error("read the secret for", .machine)
    }
    return try result.get()
  }

  // MARK: Errors

  private func busy(_ answer: WebAnswer, at now: UTCTime) -> OutputError {
    let pause = answer.retryAfter.flatMap { RetryAfter($0)?.pause(at: now) }.map { min($0, Self.longestPause) }
    return error("send a fix to", .busy, detail: "\(answer.status)", retryAfter: pause)
  }

  /// The error has only the status code: a server may repeat the position, or the secret of the request, in its answer.
  private func rejection(_ answer: WebAnswer) -> OutputError {
    error(
      "send a fix to", (300...399).contains(answer.status) ? .redirected : .rejected, detail: "\(answer.status)")
  }

  private func error(
    _ operation: String, _ fault: OutputFault, detail: String? = nil, retryAfter: Duration? = nil
  ) -> OutputError {
    OutputError(
      operation, address.origin, fault, detail: detail.map { String($0.prefix(Self.longestDetail)) },
      retryAfter: retryAfter)
  }
}

/// The connection of an output that no request has used yet.
private final class SpareConnection: Sendable {
  private let connection = Mutex<WebConnection?>(nil)

  func put(_ connection: WebConnection) { self.connection.withLock { $0 = connection } }

  /// Removes the connection and returns it; nil if there is none, or if the server has ended it.
  func take() -> WebConnection? {
    let found = connection.withLock { $0.take() }
    return found?.isOpen == true ? found : nil
  }
}

/// The redirect that a delivery could not follow, because its indication had ended.
private final class InterruptedRedirect: Sendable {
  private let redirect = Mutex<(id: String, target: String, redirects: Int)?>(nil)

  /// Keeps the next target of a fix.
  /// - Parameter redirects: The count of redirects of this fix. The count goes on in the next attempt, so that an
  ///   endless redirect of a slow server ends.
  func put(_ target: String, after redirects: Int, of id: String) {
    redirect.withLock { $0 = (id, target, redirects) }
  }

  /// Removes the target and the count of redirects, and returns them; nil if they are of another fix.
  func take(of id: String) -> (target: String, redirects: Int)? {
    guard let found = redirect.withLock({ $0.take() }), found.id == id else { return nil }
    return (found.target, found.redirects)
  }
}
