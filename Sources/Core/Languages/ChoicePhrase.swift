/// Texts for the choices of a prompt. The raw values are the words of the line protocol.
package enum ChoicePhrase: String, Phrase {
  case yes, once, whileUsing = "while-using", always, keep, no

  package var texts: Texts {
    switch self {
    case .yes: Texts(en: "Yes", de: "Ja", ja: "はい", vi: "Có", zhHans: "是")
    case .once: Texts(en: "Allow once", de: "Einmal erlauben", ja: "1度だけ許可", vi: "Cho phép một lần", zhHans: "允许一次")
    case .whileUsing: Texts(en: "While using", de: "Beim Verwenden", ja: "使用中のみ", vi: "Khi sử dụng", zhHans: "使用期间")
    case .always: Texts(en: "Always", de: "Immer", ja: "常に", vi: "Luôn luôn", zhHans: "始终")
    case .keep: Texts(en: "Keep as it is", de: "So lassen", ja: "今のまま", vi: "Giữ nguyên", zhHans: "保持不变")
    case .no: Texts(en: "Don’t allow", de: "Nicht erlauben", ja: "許可しない", vi: "Không cho phép", zhHans: "不允许")
    }
  }

  package var room: Int? { 20 }
}
