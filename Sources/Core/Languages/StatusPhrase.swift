/// Texts for the authorization status of an app. The raw values are the words of the line protocol.
package enum StatusPhrase: String, Phrase {
  case never, askNextTime = "ask-next-time", whenIShare = "when-i-share", whileUsing = "while-using", always
  /// The owner's configuration denies this app all access.
  case restricted

  package var texts: Texts {
    switch self {
    case .never: Texts(en: "Never", de: "Nie", ja: "許可しない", vi: "Không bao giờ", zhHans: "永不")
    case .askNextTime:
      Texts(en: "Ask next time", de: "Nächstes Mal fragen", ja: "次回確認", vi: "Hỏi lần sau", zhHans: "下次询问")
    case .whenIShare: Texts(en: "When I share", de: "Wenn ich teile", ja: "共有時", vi: "Khi tôi chia sẻ", zhHans: "在我分享时")
    case .whileUsing: Texts(en: "While using", de: "Beim Verwenden", ja: "使用中のみ", vi: "Khi sử dụng", zhHans: "使用期间")
    case .always: Texts(en: "Always", de: "Immer", ja: "常に", vi: "Luôn luôn", zhHans: "始终")
    case .restricted: Texts(en: "Restricted", de: "Gesperrt", ja: "制限", vi: "Bị hạn chế", zhHans: "受限制")
    }
  }

  package var room: Int? { 20 }
}
