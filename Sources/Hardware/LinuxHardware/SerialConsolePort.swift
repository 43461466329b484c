import Glibc
package import Hardware
import NIOCore
import NIOPosix
import OperatingSystem
import Ports
import Synchronization

/// A user's terminal on a serial port or a pseudo-terminal. The open port is locked against other programs, and has 8
/// data bits, no parity, 1 stop bit and no flow control.
package final class SerialConsolePort: ConsolePort {
  private struct State {
    var device: SerialDevice?
    var output: ConsoleOutput?
  }

  package let path: String
  private let speed: Int
  private let isModem: Bool
  private let state = Mutex(State())

  /// Creates a port, which `run` opens.
  /// - Parameters:
  ///   - path: the path of the device in `/dev`.
  ///   - speed: the speed in bits per second, one of `SerialSpeed.all`.
  ///   - isModem: whether the device is a modem. The input of a modem ends when the modem loses its carrier.
  package init(path: String, speed: Int, isModem: Bool = false) {
    self.path = path
    self.speed = speed
    self.isModem = isModem
  }

  package var name: String { path }

  package func send(_ bytes: [UInt8]) -> Bool {
    // The lock keeps the bytes of concurrent callers in the order of their calls.
    state.withLock { state in
      // A closed port has no reader, so the output is dropped.
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
    opened: @Sendable (ConsoleLocation) async -> Void, _ receive: @Sendable (ConsoleInput) async -> Void
  ) async throws {
    let device = try SerialDevice(path: path, speed: speed, use: .console(isModem: isModem))
    let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    do {
      channel = try await device.channel(on: .singletonMultiThreadedEventLoopGroup) {
        try NIOAsyncChannel(wrappingChannelSynchronously: $0)
      }
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
          for input in decoder.decode(chunk.readableBytesView) { await receive(input) }
        }
      }
    } catch let error as IOError where error.errnoCode != EIO {
      cause = systemErrorText(error.errnoCode)
    } catch {
      // A closed channel and the error `EIO` both mean that the input has ended.
    }
    if Task.isCancelled { return }
    await receive(.hangUp)
    throw HardwareError(.absent, "read", path, cause: cause, remedy: "is the cable connected?")
  }
}
