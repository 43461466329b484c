import OneFixClient

@main
struct ParkFinder {
  static func main() async throws {
    let client = try await OneFixClient.connect(app: "park-finder")
    await client.close()
  }
}
