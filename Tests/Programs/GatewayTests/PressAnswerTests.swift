import Base
import ControlledBoard
import LineProtocol
import OneFixClient
import Ports
import RecordingClients
import Requirements
import Synchronization
import Testing

@testable import Gateway
@testable import SimulatedHardware

// The commands go to the gateway without a socket, since a connection may send only 20 commands in each second of the
// machine's clock.
@Test(.patient)
func `each of 500 presses in one session gets one answer and one fix`() async throws {
  try await Bench(confirmed()).run { bench in
    let calls = Mutex<(answers: [String], fixes: Int)>(([], 0))
    let connection = RecordingConnection { call in
      calls.withLock { calls in
        switch call {
        case .line(.message(let message)): calls.answers.append(message.json)
        case .once: calls.fixes += 1
        case .line, .update, .recall, .refuse: break
        }
      }
    }
    await bench.gateway.open(on: connection)
    for topic in ["button/press", "fix/once"] {
      await bench.gateway.perform(.subscribe(try TopicFilter(topic), sid: topic, qos: 0), tag: nil, on: connection)
    }
    var random = RandomSource(seed: 60, stream: 0)
    func pass(_ seconds: ClosedRange<Double>) async {
      await bench.clock.pass(.milliseconds(Int(random.uniform(seconds) * 1000)))
    }
    for number in 1...500 {
      // Sends an epoch, and lets the time pass until it is complete.
      func measure() async {
        let time = "07\(10 + number / 50)\(10 + number % 50).00"
        bench.receiver.read(nmea("GNGGA,\(time),4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
        await pass(0.5...0.5)
      }
      await bench.gateway.perform(.requestOnce(OnceRequest()), tag: nil, on: connection)
      // A press must come 1 s after the request (A9), and 2 s after the fix of the press before (A8).
      await pass(1...1.5)
      // Two fixes of three are fresh at the press. For the third one, the receiver measures after the press.
      let isFresh = number % 3 > 0
      if isFresh { await measure() }
      await pass(0...0.4)
      _ = await bench.button.press(for: .milliseconds(Int(random.uniform(20...900))))
      if !isFresh { await measure() }
      await bench.pass { $0.waitingCount == 0 && $0.grantCount == 0 }
      #expect(calls.withLock { $0.answers } == Array(repeating: #"{"authorized":true}"#, count: number))
      #expect(calls.withLock { $0.fixes } == number)
      await pass(1...1.5)
    }
  }
}

@Test(.patient)
func `a request beyond the connection's limit of commands throws, and does not wait without an answer`() async throws {
  try await Bench(confirmed()).run { bench in
    let client = try await bench.client("parks")
    // 50 commands at once are allowed. If a busy machine pauses this test, the connection may send another command.
    var refusal: ErrorCode?
    while refusal == nil {
      while await client.refusalOfList() != .rateLimited {}
      let asking = await Asking(client)
      asking.outcome.cancel()
      refusal = await asking.refusal()
    }
    #expect(refusal == .rateLimited)
  }
}

extension OneFixClient {
  /// Lists the regions. Returns the code if the gateway refuses the command.
  fileprivate func refusalOfList() async -> ErrorCode? {
    do throws(ClientError) {
      _ = try await regions()
      return nil
    } catch {
      return error.refusal?.code
    }
  }
}
