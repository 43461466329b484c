import GNSS
import OneFixClient

// The examples in the documentation of the client, which are only compiled.

private struct ConfigurationError: Error {}

private func show(_ things: Any...) {}

private func note(_ event: OneFixClient.RegionEvent) {}

private func ask() async throws {
  let client = try await OneFixClient.connect(.unix("/run/onefix/onefix.sock"), app: "park-finder")
  let fix = try await client.requestOnce()
  show(client, fix)
}

private func askAtTheDefaultSocket() async throws {
  let client = try await OneFixClient.connect(.standard, app: "park-finder")
  let fix = try await client.requestOnce()
  show(client, fix)
}

private func askWithAPurpose(_ client: OneFixClient) async {
  do throws(ClientError) {
    let fix = try await client.requestOnce(OnceRequest(timeout: 60, purpose: "Find parks near me")) {
      print("Press the button.")
    }
    if let position = fix.coordinate, let radius = fix.horizontalAccuracy {
      print(position.latitude, position.longitude, "±", radius, "m")
    }
  } catch .noPress, .cancelled {
    print("Nobody pressed: here are the parks of the whole town.")
  } catch .denied, .restricted {
    print("No position. Type an address instead.")
  } catch {
    print(error.refusal?.text ?? "\(error)")
  }
}

private func connectAtASerialPort() async throws {
  let client = try await OneFixClient.connect(.serial("/dev/ttyACM0", baudRate: 115_200), app: "logbook")
  show(client)
}

private func connectAtAnotherSerialPort() async throws {
  let client = try await OneFixClient.connect(.serial("/dev/ttyACM0", baudRate: 115_200), app: "ferry")
  show(client)
}

private func connectOverTheNetwork(text: String, certificate: String) async throws {
  guard let key = OneFixClient.Key(base64url: text) else { throw ConfigurationError() }
  let client = try await OneFixClient.connect(
    .tls(host: "boat.example", port: 7448, .key(key), trust: .pem(certificate)), app: "logbook")
  show(client)
}

private func authorize(_ client: OneFixClient) async throws {
  let authorization = try await client.requestAuthorization(.whenInUse(purpose: "To warn of shallows"))
  show(authorization)
}

private func watchAuthorization(_ client: OneFixClient) async throws {
  for try await authorization in client.authorization {
    show(authorization.status, authorization.accuracy)
  }
}

private func update(_ client: OneFixClient) async throws {
  for try await fix in client.updates(UpdatesRequest(interval: 5000)) {
    show(fix)
  }
}

private func watch(_ client: OneFixClient, _ centre: Coordinate) async throws {
  let harbour = try Region(
    id: "harbour", centre: centre, radius: 300, events: [.enter, .exit], text: "Take the lines ashore")
  try await client.addRegion(harbour)
  for try await event in client.regionEvents { note(event) }
}
