import Glibc
import Hardware
package import NIOCore
import NIOPosix
import Synchronization

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
    let hasChannel = Atomic(false)
    do {
      return try await NIOPipeBootstrap(group: group)
        .takingOwnershipOfDescriptors(input: input, output: output) { channel in
          hasChannel.store(true, ordering: .relaxed)
          return channel.eventLoop.makeCompletedFuture { try wrap(channel) }
        }
    } catch {
      // Without a channel the bootstrap leaves the descriptors to the caller; with one it has closed them, and their
      // numbers may be somebody else's.
      if !hasChannel.load(ordering: .relaxed) {
        close(input)
        close(output)
      }
      throw HardwareError(.failed, "read", path, cause: "\(error)")
    }
  }
}
