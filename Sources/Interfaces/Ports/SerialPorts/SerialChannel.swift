import Glibc
import Hardware
package import NIOCore
import NIOPosix
import Synchronization

extension SerialDevice {
  /// Creates an NIO channel on duplicates of the port's file descriptor. The event loop closes the duplicates when the
  /// channel closes.
  ///
  /// - Parameter wrap: Adds the handlers to the channel, and returns the result of this function.
  /// - Throws: `HardwareError` if the channel cannot be created.
  package func channel<Result: Sendable>(
    on group: any EventLoopGroup, _ wrap: @escaping @Sendable (any Channel) throws -> Result
  ) async throws -> Result {
    // Each direction has its own copy, which no child process inherits.
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
      // If the channel was created, it has already closed the descriptors. Another file may now have the number of such
      // a descriptor, so a second close could close that file.
      if !hasChannel.load(ordering: .relaxed) {
        close(input)
        close(output)
      }
      throw HardwareError(.failed, "read", path, cause: "\(error)")
    }
  }
}
