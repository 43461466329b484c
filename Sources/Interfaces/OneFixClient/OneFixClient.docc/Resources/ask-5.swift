import OneFixClient

@main
struct ParkFinder {
  static func main() async throws {
    let client = try await OneFixClient.connect(app: "park-finder")
    let asking = Task {
      try await client.requestOnce(OnceRequest(timeout: 60, purpose: "Find parks near you")) {
        print("Press the button within a minute, or Return to do without.")
      }
    }
    Task.detached {
      _ = readLine()
      asking.cancel()
    }
    switch await asking.result {
    case .success(let fix): print(fix.json)
    case .failure(ClientError.noPress), .failure(ClientError.cancelled): print("Here are the parks of the whole town.")
    case .failure(let error): print(error)
    }
    await client.close()
  }
}
