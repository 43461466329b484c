import Gateway
import LineProtocol
import OneFixClient
import Requirements
import Testing

@Test(.patient)
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

@Test(.patient)
func `a panel that draws again without a change causes no further change`() async throws {
  let bench = try await Bench()
  let changes = await bench.gateway.changes()
  await bench.gateway.panelIsDrawn(true)
  let counting = Task {
    var iterator = changes.makeAsyncIterator()
    let first: Void? = await iterator.next()
    await bench.gateway.panelIsDrawn(true)
    // In a cancelled task the iterator returns a change that has already happened, and waits for no other one. The task
    // is valid during the closure.
    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
    let second: Void? = await iterator.next()
    return (first != nil, second != nil)
  }
  let (first, second) = await counting.value
  #expect(first && !second)
  await bench.stop()
}
