import Testing

/// Starts a program that listens in place of a broker and answers the first bytes of a connection.
private func falseBroker(answering reply: String) async throws -> (child: Child, port: String) {
  let program = """
    import socket, sys
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(listener.getsockname()[1], flush=True)
    while True:
        client = listener.accept()[0]
        client.recv(1000)
        client.sendall(bytes.fromhex(sys.argv[1]))
        # A connection that is closed with unread data is reset, and the reset discards the answer.
        client.shutdown(socket.SHUT_WR)
        while client.recv(1000): pass
        client.close()
    """
  let child = try Child("python3", ["-c", program, reply])
  return (child, try await child.output.first("its port") { $0.lines.first })
}

@Suite struct MQTTVersionTests {
  /// A server that does not support the level of the protocol (MQTT 3.1.1 §3.2.2.3), and a server that closes the
  /// connection. For libmosquitto in Debian 13, the answer of the first server is malformed.
  @Test(arguments: [
    ("20020001", ["does not support MQTT 5", "sent a malformed packet"], "set version = \"3.1.1\""),
    ("", ["cannot"], "does the broker support MQTT 5? if not, set version = \"3.1.1\""),
  ])
  func `a broker without MQTT 5 is reported with its cause and remedy`(
    reply: String, causes: [String], remedy: String
  ) async throws {
    let broker = try await falseBroker(answering: reply)
    let settings = """
      gateway = "boat"
      [[mqtt]]
      broker = "mqtt://127.0.0.1:\(broker.port)"
      app = "peer"
      version = "5"

      """
    try await Daemon.with(configuration: settings) { daemon in
      let received = try await daemon.process.errors.first("the cause") { received in
        received.lines.first { $0.contains("cannot use a broker") }
      }
      #expect(
        causes.contains { received.contains($0) } && received.replacing("\\", with: "").contains(remedy), "\(received)")
    }
    broker.child.kill(9)
  }
}
