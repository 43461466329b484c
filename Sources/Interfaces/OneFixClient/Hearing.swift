import LineProtocol

/// What the gateway says unasked.
extension OneFixClient {
  func take(_ news: Link.News) async {
    switch news {
    case .message(let message): await take(message)
    case .damage: catchUp()
    case .refusal(let error, let tag, let fields):
      if let once, once.tag == tag {
        once.outcome.keep(.failure(ClientError(error, fields)))
      } else if updatesInProgress?.tag == tag {
        finishUpdates(ClientError(error, fields))
      }
    }
  }

  private func take(_ message: ServerLine.Message) async {
    switch Topic(rawValue: message.topic) {
    case .fixOnce: await takeFix(message)
    case .fixUpdates: takeUpdate(message.json)
    case .buttonPress: await takePress(message.json)
    case .authorization: takeAuthorization(message)
    case .indicator: if let state = Indicator(json: message.json) { indications.tell(state) }
    case .receiver: if let state = Receiver(json: message.json) { receivers.tell(state) }
    case nil:
      if let event = RegionEvent(topic: message.topic, json: message.json) { regionNews.tell(event) }
    case .regions, .ownerPrompt, .ownerNotification, .ownerApps, .ownerLog, .ownerRegions, .ownerSessions, .ownerSky,
      .ownerMetrics:
      break
    }
  }
}
