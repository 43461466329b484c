import Testing

/// Starts a program that listens in place of a broker. It answers the first bytes of each connection with the next answer,
/// and then closes the connection. It accepts each connection with MQTT 3.1.1, and keeps it.
private func falseBroker(answering replies: String...) async throws -> (child: Child, settings: String) {
  let program = """
    import socket, sys, threading
    replies = sys.argv[1:]
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(listener.getsockname()[1], flush=True)
    while True:
        client = listener.accept()[0]
        # The level of the protocol. (MQTT 5.0 §3.1.2.2)
        if client.recv(1000)[8] == 4:
            client.sendall(bytes.fromhex("20020000"))
            kept = client
            continue
        client.sendall(bytes.fromhex(replies.pop(0) if len(replies) > 1 else replies[0]))
        # A connection that is closed with unread data is reset, and the reset discards the answer.
        client.shutdown(socket.SHUT_WR)
        while client.recv(1000): pass
        client.close()
    """
  let child = try Child("python3", ["-c", program] + replies)
  let port = try await child.output.first("its port") { $0.lines.first }
  return (child, "gateway = \"boat\"\n[[mqtt]]\nbroker = \"mqtt://127.0.0.1:\(port)\"\napp = \"peer\"\n")
}

@Suite struct MQTTVersionTests {
  /// A refusal of the protocol's level. (MQTT 3.1.1 §3.2.2.3) For libmosquitto in Debian 13, it is malformed.
  private static let refusal = "20020001"

  @Test func `a broker without MQTT 5 gets MQTT 3.1.1, and owners see it`() async throws {
    let broker = try await falseBroker(answering: Self.refusal)
    try await Daemon.with(configuration: broker.settings) { daemon in
      try await daemon.process.reported("a broker without MQTT 5 gets MQTT 3.1.1 until the next start")
      try await daemon.broker("version", "3.1.1")
      let status = try await daemon.onefix("status")
      #expect(status.output.contains { $0.contains("MQTT 3.1.1 does not report a fix") }, "\(status.output)")
      let doctor = try await daemon.onefix("doctor")
      #expect(doctor.output.contains { $0.hasPrefix("! ") && $0.contains("with MQTT 3.1.1") }, "\(doctor.output)")
    }
    broker.child.kill(9)
  }

  /// A configured version, a connection that ends without an answer, and a broker that has accepted MQTT 5 before.
  @Test(arguments: [
    ("version = \"5\"\n", [Self.refusal], "version", "leave 'version' out of"),
    ("", [""], "not-accepted", "some brokers without MQTT 5 need version"),
    ("", ["2003000000", Self.refusal], "version", "leave 'version' out of"),
  ])
  func `MQTT 5 is not given up`(more: String, replies: [String], fault: String, remedy: String) async throws {
    let broker = try await falseBroker(answering: replies[0], replies[replies.count - 1])
    try await Daemon.with(configuration: broker.settings + more) { daemon in
      try await daemon.broker("fault", fault)
      #expect(try await daemon.status()["mqtt-1-state"] == "disconnected")
      // During an attempt to connect, the gateway shows no fault.
      _ = try await eventually("a remedy of the doctor with '\(remedy)'") {
        try await daemon.onefix("doctor").output.contains { $0.contains("Remedy: ") && $0.contains(remedy) }
          ? true : nil
      }
    }
    broker.child.kill(9)
  }
}
