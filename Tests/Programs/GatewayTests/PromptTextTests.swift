import Gateway
import LineProtocol
import OneFixClient
import Testing

@Test(.timeLimit(.minutes(10)))
func `while the panel draws the prompt, its text mentions the double press`() async throws {
  let bench = try await Bench()
  let client = try await bench.client("ferry")
  _ = try await client.perform(.authorize(.whenInUse, purpose: nil))
  let asked = try #require(await bench.gateway.snapshot(entries: 0).question)
  #expect(asked.text == "Share this location with ferry?" && asked.ways == ["Press: once.", "Hold: no."])
  await bench.gateway.panelIsDrawn(true)
  let drawn = try #require(await bench.gateway.snapshot(entries: 0).question)
  #expect(drawn.text == asked.text && drawn.ways == ["Press: once. Press twice: while using.", "Hold: no."])
  await bench.gateway.panelIsDrawn(false)
  #expect(await bench.gateway.snapshot(entries: 0).question?.ways == asked.ways)
  await client.close()
  await bench.stop()
}
