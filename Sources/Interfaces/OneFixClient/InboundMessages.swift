import LineProtocol

extension OneFixClient {
  func process(_ event: Link.Event) async {
    switch event {
    case .message(let message): await process(message)
    case .damage: resynchronize()
    case .refusal(let error, let tag, let fields):
      if let once, once.tag == tag {
        once.outcome.resolve(.failure(ClientError(error, fields)))
      } else if updatesInProgress?.tag == tag {
        finishUpdates(ClientError(error, fields))
      }
    }
  }

  private func process(_ message: ServerLine.Message) async {
    switch Topic(rawValue: message.topic) {
    case .fixOnce: await acceptFix(message)
    case .fixUpdates: acceptUpdate(message.json)
    case .buttonPress: await acceptPress(message.json)
    case .authorization: acceptAuthorization(message)
    case .indicator: if let state = Indicator(json: message.json) { indications.send(state) }
    case .receiver: if let state = Receiver(json: message.json) { receivers.send(state) }
    case nil:
      if let event = RegionEvent(topic: message.topic, json: message.json) { regionNotifications.send(event) }
    case .regions, .ownerPrompt, .ownerNotification, .ownerApps, .ownerButton, .ownerLog, .ownerRegions, .ownerPlaces,
      .ownerSessions,
      .ownerSky, .ownerMetrics:
      break
    }
  }
}
