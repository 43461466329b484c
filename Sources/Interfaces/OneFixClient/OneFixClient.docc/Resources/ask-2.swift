import OneFixClient

@main
struct ParkFinder {
  static func main() async throws {
    let client = try await OneFixClient.connect(app: "park-finder")
    let fix = try await client.requestOnce(OnceRequest(purpose: "Find parks near you"))
    print(fix.coordinate.latitude, fix.coordinate.longitude, "±", fix.horizontalAccuracy, "m")
    await client.close()
  }
}
