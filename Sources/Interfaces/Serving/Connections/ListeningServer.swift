package import LineProtocol
package import Ports

/// A server that listens on a network address or a Unix socket.
package protocol ListeningServer: Sendable {
  /// The protocol of the server, for example `gpsd` or `tls`.
  var kind: String { get }

  /// The path of the Unix socket, or the network address and its port.
  var address: String { get }

  /// Closes a server whose `run` was never called.
  func abandon() async

  /// Stops the server, so that `run` returns. Any thread may call this function.
  func stop()

  /// Reads the files of the server again, for example its certificate.
  func reload() throws(ListenError)

  /// Serves clients until `stop` is called, or until the server fails.
  /// - Parameter farewell: Returns the error that all clients receive before their connections close.
  func run(farewell: @escaping @Sendable () -> LineError) async throws
}

extension ListeningServer {
  package func reload() throws(ListenError) {}
}

/// Opens one server on each address, all with the same port.
///
/// The function omits an address that this machine does not have, such as `::1` on a machine without IPv6. If another
/// program uses one of the addresses, the function opens no server. A client that tries all addresses of `localhost`
/// could otherwise reach the other program.
/// - Parameters:
///   - hosts: The addresses, at least one.
///   - port: The port. If 0, the operating system chooses a port that is free on the first address.
///   - open: Opens a server. Throws `ListenError`.
package func openServers<Server: ListeningServer>(
  on hosts: [String], port: Int, _ open: (_ host: String, _ port: Int) async throws -> Server
) async throws -> [Server] {
  var servers: [Server] = []
  var absent: ListenError?
  var port = port
  for host in hosts {
    do {
      let server = try await open(host, port)
      servers.append(server)
      if port == 0 { port = server.address.split(separator: ":").last.flatMap { Int($0) } ?? 0 }
    } catch let error as ListenError where error.fault == .noAddress {
      absent = absent ?? error
    } catch {
      // A closed server may have no address.
      let other = servers.first?.address
      for server in servers { await server.abandon() }
      guard var taken = error as? ListenError, let other else { throw error }
      taken.cause += ", so \(other) stays closed too"
      throw taken
    }
  }
  if servers.isEmpty, let absent { throw absent }
  return servers
}
