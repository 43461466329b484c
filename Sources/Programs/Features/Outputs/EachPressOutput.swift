import Base
import Gateway
import Glibc
import LineProtocol
import Logging
import NIOPosix
import OperatingSystem
import Ports
import Synchronization

/// The destination of an output (a service that receives fixes): a file, a serial port or a web server.
protocol OutputTarget: Sendable {
  /// Delivers a fix. The function returns after the file, the serial port or the web server has received the fix.
  ///
  /// - Parameter isIndicated: Returns whether the indicator LED still shows this use of the location. If the target needs
  ///   time before the first byte of the fix, for example for a connection, it calls the closure directly before that
  ///   byte.
  /// - Returns: False if the indication ended before the target accepted the fix. Another attempt is then necessary.
  func deliver(
    _ publication: Publication, while isIndicated: @escaping @Sendable () -> Bool
  ) async throws(OutputError) -> Bool

  /// Checks whether the file, the serial port or the web server could receive a fix now.
  /// - Throws: `OutputError` if a delivery would fail.
  func test() async throws(OutputError)
}

/// The clock for the delays between delivery attempts. Tests replace this clock.
struct OutputClock: Sendable {
  var now: @Sendable () -> MonotonicInstant = { SystemClock.monotonic }
  var sleep: @Sendable (MonotonicInstant) async throws -> Void = { try await SystemClock.sleep(until: $0) }
}

extension DaemonContext {
  /// Returns the service that delivers fixes to an output (a file, a serial port or a web server) until the daemon
  /// stops.
  func running(_ output: EachPressOutput) -> any Service { EachPressService(gateway: gateway, output: output) }
}

private struct EachPressService: Service {
  let gateway: Gateway
  let output: EachPressOutput

  func run(until stop: OneTimeEvent) async throws {
    try await gateway.becomeReady()
    try await output.run(gateway, until: stop)
  }
}

/// An output (a file, a serial port or a web server) that receives one fix at each press of the button. The output
/// delivers the waiting fixes one by one.
final class EachPressOutput: OutputSink {
  private struct State {
    /// The next fix to deliver; nil if no fix waits, or if the gateway has withdrawn the fix. The instant `until` is
    /// the end of the time in which the indicator LED shows this use of the location.
    var next: (publication: Publication, until: MonotonicInstant)?
    /// The withdrawal of the fix that the output delivers now, or has delivered last.
    var withdrawal = OneTimeEvent()
    /// Whether the gateway waits for the result of the last fix, even of a withdrawn fix.
    var isAwaited = false
    var isUsable = false
  }

  static let backoff = Backoff(first: .seconds(5), longest: .seconds(300))

  let form: any PublicationForm
  private let app: AppID
  private let transport: Transport
  private let target: any OutputTarget
  private let clock: OutputClock
  private let logger: Logger
  private let state = Mutex(State())
  /// The stream that wakes the service after changes of `state`, and its continuation. Several changes can share one
  /// element.
  private let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  init(
    _ form: any PublicationForm, of app: AppID, over transport: Transport, to target: any OutputTarget,
    clock: OutputClock = OutputClock(), logger: Logger
  ) {
    self.form = form
    self.app = app
    self.transport = transport
    self.target = target
    self.clock = clock
    self.logger = logger
  }

  // MARK: The gateway's side, without waiting

  var isConnected: Bool { state.withLock(\.isUsable) }

  func publish(_ publication: Publication, until: MonotonicInstant) {
    state.withLock { ($0.next, $0.isAwaited) = ((publication, until), true) }
    wake.yield()
  }

  func recall(_ kinds: FixKinds) {
    let (next, withdrawal) = state.withLock { ($0.next.take(), $0.withdrawal) }
    withdrawal.occur()
    guard next != nil else { return }
    wake.yield()
  }

  // MARK: The service

  func run(_ service: some OutputService, until stop: OneTimeEvent) async throws {
    let connection = EachPressConnection(to: self, over: transport, peer: .output(form.address))
    let hello = Hello(app: app.name, keepalive: 0)
    guard await service.hello(hello, tag: nil, as: Identity(app, by: .transport), on: connection) else {
      logger.error("an output cannot be used: its app has too many sessions", metadata: ["app": "\(app)"])
      return await stop.wait()
    }
    try await stop.cancelling {
      var failures = 0
      var complaint: OutputError?
      while !Task.isCancelled {
        do throws(OutputError) {
          try await self.target.test()
          await self.use(true, connection, service)
          try await self.deliverAll(on: connection, service) {
            failures = 0
            complaint = nil
          }
          return
        } catch {
          // The service stops, so an interrupted attempt is not a fault.
          guard !Task.isCancelled else { return }
          if error != complaint {
            self.logger.warning("cannot use an output; trying again", metadata: ["cause": "\(error)"])
          }
          complaint = error
          await service.failed(error.fault, detail: error.detail, on: connection)
          await self.use(false, connection, service)
          let delay = max(
            error.retryAfter ?? .zero, Self.backoff.delay(after: failures, chance: .random(in: 0..<1)))
          failures += 1
          do { try await self.clock.sleep(self.clock.now() + delay) } catch { return }
        }
      }
    }
    await service.closed(connection, isFinal: true)
  }

  private func use(
    _ isUsable: Bool, _ connection: EachPressConnection, _ service: some OutputService
  ) async {
    guard state.withLock({ exchange(&$0.isUsable, with: isUsable) }) != isUsable else { return }
    if isUsable {
      await service.connected(connection, with: nil, awaitingSubscriberFor: nil)
    } else {
      await service.disconnected(connection)
    }
  }

  /// Delivers each fix when the fix arrives, until the task is cancelled.
  /// - Throws: `OutputError` if a later attempt can deliver the fix.
  private func deliverAll(
    on connection: EachPressConnection, _ service: some OutputService, noteSuccess: () -> Void
  ) async throws(OutputError) {
    for await _ in wakes {
      let withdrawal = OneTimeEvent()
      let (next, isAwaited) = state.withLock {
        $0.withdrawal = withdrawal
        return ($0.next.take(), exchange(&$0.isAwaited, with: false))
      }
      // An earlier element of the stream already stood for this change. The gateway may now wait for another fix, which
      // must not be reported as ended.
      guard isAwaited else { continue }
      // A fix that was withdrawn, or whose indication is over, is not delivered. The gateway gives the next fix.
      if let (publication, end) = next, clock.now() < end {
        do throws(OutputError) {
          // After `ready`, the gateway gives a fix that the target has not accepted again, with a new indication.
          if try await deliver(publication, before: end, until: withdrawal) {
            noteSuccess()
            await service.acknowledged(publication.number, on: connection)
          }
        } catch {
          // The interrupted delivery of a withdrawn fix is not a fault. The gateway waits for no result.
          guard !withdrawal.hasOccurred else {
            await service.ready(connection)
            continue
          }
          guard error.fault.isFinal else { throw error }
          // The output continues with the next fix.
          logger.warning("an output refused a fix, which is lost", metadata: ["cause": "\(error)"])
          noteSuccess()
          await service.failed(error.fault, detail: error.detail, on: connection)
          await service.refused(publication.number, on: connection)
        }
      }
      await service.ready(connection)
    }
  }

  /// Delivers a fix. A withdrawal of the fix interrupts the delivery, so that a slow server gets nothing after the
  /// withdrawal.
  private func deliver(
    _ publication: Publication, before end: MonotonicInstant, until withdrawal: OneTimeEvent
  ) async throws(OutputError) -> Bool {
    let (target, clock) = (target, clock)
    let delivery = Task { () async -> Result<Bool, OutputError> in
      do throws(OutputError) {
        return .success(try await target.deliver(publication, while: { clock.now() < end }))
      } catch {
        return .failure(error)
      }
    }
    let cancel: @Sendable () -> Void = { delivery.cancel() }
    let result = await withdrawal.handle(
      {
        await withTaskCancellationHandler {
          await delivery.value
        } onCancel: {
          cancel()
        }
      }, then: cancel)
    return try result.get()
  }
}

/// Runs a blocking operation, for example a write to a file, on a thread pool. The result is nil if the task
/// was cancelled before the operation, or if the pool has stopped, which happens only at the end of the process.
func onThread<Value: Sendable, Failure: Error>(
  _ operation: @escaping @Sendable () throws(Failure) -> Value
) async -> Result<Value, Failure>? {
  try? await NIOThreadPool.singleton.runIfActive { Result { () throws(Failure) in try operation() } }
}

/// The error of a delivery to a file, a serial port, a web server or an MQTT broker.
package struct OutputError: Error, Hashable, Sendable, CustomStringConvertible {
  let operation: String
  let object: String
  /// The kind of error, which the gateway's status shows to owners.
  var fault: OutputFault
  /// The error text of the operating system or of the server; nil if there is none.
  let detail: String?
  /// The delay until the next attempt that the server has asked for; nil if the server has not asked for a delay.
  let retryAfter: Duration?

  /// Creates an error with the message `cannot <operation> <object>: <cause>`.
  /// - Parameters:
  ///   - operation: The verb of the message, as in `write`.
  ///   - object: The path or the address in the message.
  ///   - fault: The kind of error, which has a remedy.
  ///   - detail: The error text of the operating system or of the server; nil if there is none.
  ///   - retryAfter: The delay until the next attempt that the server has asked for; nil for no such delay.
  init(_ operation: String, _ object: String, _ fault: OutputFault, detail: String? = nil, retryAfter: Duration? = nil)
  {
    self.operation = operation
    self.object = object
    self.fault = fault
    self.detail = detail
    self.retryAfter = retryAfter
  }

  /// Returns the error for a file that the TLS library cannot use. The library does not tell the causes apart.
  /// - Parameters:
  ///   - file: The path of the file; nil for the authorities of this machine.
  ///   - detail: The cause if the file can be read.
  static func unusable(_ file: String?, _ detail: String) -> OutputError {
    let path = file ?? "/etc/ssl/certs"
    let isReadable = unsafe access(path, R_OK) == 0
    return OutputError("use", path, .file, detail: isReadable ? detail : systemErrorText(errno))
  }

  package var description: String { "cannot \(operation) \(object): \(detail ?? fault.cause) (\(fault.remedy))" }
}
