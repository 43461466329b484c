import OneFixClient
import ScriptedGateways

/// The options of a client that connects again without a delay.
let hasty = OneFixClient.Options(
  backoff: Backoff(first: .milliseconds(2), longest: .milliseconds(10)), keepalive: 0)

/// The options of a client whose connection can lose lines. The lines have checksums.
let lossy = OneFixClient.Options(backoff: hasty.backoff, keepalive: 0, crc: true)

/// Returns a fix as JSON, as a gateway writes it.
func fixJSON(_ latitude: Double) -> String {
  #"{"time":"2026-11-21T07:31:34.200Z","lat":\#(latitude),"lon":8.541694,"hacc":2.9,"fix":"3d","accuracy":"full"}"#
}

/// Runs the body of a test with a scripted gateway and its client.
func withGateway(
  options: OneFixClient.Options = hasty,
  _ play: @escaping @Sendable (inout GatewayConnection, _ number: Int) async throws -> Void,
  _ body: (OneFixClient) async throws -> Void
) async throws {
  let socket = TemporarySocket()
  let gateway = try await ScriptedGateway(socket.path, play)
  let client = try await OneFixClient.connect(socket.endpoint, app: "app", options: options)
  try await body(client)
  await client.close()
  await gateway.stop()
}
