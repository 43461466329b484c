import Glibc
package import Hardware
package import NIOCore
import NIOPosix
import SerialPorts
import Synchronization
import OperatingSystem

/// A console on a serial port, or on a pseudo-terminal that stands for one.
///
/// The port is this program's alone while it is open: 8 data bits, no parity, 1 stop bit, no flow control. What the
/// line does not take yet waits, and nobody waits for it.
package final class SerialConsolePort: ConsolePort {
  private struct State {
    /// While the port is open.
    var device: SerialDevice?
    var output: ConsoleOutput?
  }

  package let path: String
  private let speed: Int
  private let isModem: Bool
  private let group: any EventLoopGroup
  private let state = Mutex(State())

  /// - Parameters:
  ///   - speed: bits per second, one of `SerialSpeed.all`.
  ///   - isModem: whether a lost carrier hangs up.
  ///   - group: whose event loop reads the port.
  package init(
    path: String, speed: Int, isModem: Bool = false, group: any EventLoopGroup = .singletonMultiThreadedEventLoopGroup
  ) {
    self.path = path
    self.speed = speed
    self.isModem = isModem
    self.group = group
  }

  package var name: String { path }

  package func send(_ bytes: [UInt8]) -> Bool {
    // Under the lock, so that two who send are sent in the order of their calls.
    state.withLock { state in
      // Nobody is at a port that is not open.
      guard let output = state.output else { return true }
      return output.send(bytes)
    }
  }

  package func discardUnsent() {
    state.withLock { state in
      state.output?.discard()
      state.device?.flushOutput()
    }
  }

  package func run(
    opened: @Sendable (ConsoleReach) async -> Void, _ receive: @Sendable (ConsoleInput) async -> Void
  ) async throws {
    let device = try SerialDevice(path: path, speed: speed, use: .console(isModem: isModem))
    let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    do {
      channel = try await device.channel(on: group) { try NIOAsyncChannel(wrappingChannelSynchronously: $0) }
    } catch {
      device.release()
      throw error
    }
    state.withLock { $0 = State(device: device, output: ConsoleOutput(channel.channel)) }
    defer {
      state.withLock { $0 = State() }
      device.release()
    }
    await opened(device.isOwnPseudoTerminal ? .local : .remote)
    try await read(channel, receive)
  }

  private func read(
    _ channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ receive: @Sendable (ConsoleInput) async -> Void
  ) async throws {
    var cause = "the other end hung up"
    var decoder = ConsoleInputDecoder()
    do {
      try await channel.executeThenClose { inbound, _ in
        for try await chunk in inbound {
          for input in decoder.take(chunk.readableBytesView) { await receive(input) }
        }
      }
    } catch let error as IOError where error.errnoCode != EIO {
      cause = systemErrorText(error.errnoCode)
    } catch {
      // A closed channel or EIO: the same as an end.
    }
    if Task.isCancelled { return }
    await receive(.hangUp)
    throw HardwareError(.absent, "read", path, cause: cause, remedy: "is the cable connected?")
  }
}
