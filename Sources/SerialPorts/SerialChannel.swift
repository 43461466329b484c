import Glibc
import Hardware
package import NIOCore
import NIOPosix

extension SerialDevice {
  /// Hands copies of the descriptor to an event loop, which closes them with the channel.
  /// - Parameter wrap: what stands between the port and the channel.
  /// - Throws: `HardwareError`
  package func channel<Received: Sendable>(
    on group: any EventLoopGroup,
    _ wrap: @escaping @Sendable (any Channel) throws -> NIOAsyncChannel<Received, ByteBuffer>
  ) async throws -> NIOAsyncChannel<Received, ByteBuffer> {
    // One copy for each direction, made here so that no child process inherits them.
    let input = try duplicate()
    let output: Int32
    do {
      output = try duplicate()
    } catch {
      close(input)
      throw error
    }
    do {
      return try await NIOPipeBootstrap(group: group)
        .takingOwnershipOfDescriptors(input: input, output: output) { channel in
          channel.eventLoop.makeCompletedFuture { try wrap(channel) }
        }
    } catch {
      // The bootstrap leaves the descriptors to the caller where it fails.
      close(input)
      close(output)
      throw HardwareError(.failed, "read", path, cause: "\(error)")
    }
  }
}
