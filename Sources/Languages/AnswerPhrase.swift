/// How the person answers at the button.
package enum AnswerPhrase: Phrase {
  case pressAgain
  case press
  case once
  case onceOrTwice
  case unchanged
  case refused

  package var texts: Texts {
    switch self {
    case .pressAgain:
      Texts(
        en: "Press again: yes. Hold: no.", de: "Nochmals drücken: ja. Halten: nein.", ja: "もう一度押す：はい。長押し：いいえ。",
        vi: "Nhấn lần nữa: có. Giữ: không.", zhHans: "再按一次：是。长按：否。")
    case .press:
      Texts(
        en: "Press: yes. Hold: no.", de: "Drücken: ja. Halten: nein.", ja: "押す：はい。長押し：いいえ。",
        vi: "Nhấn: có. Giữ: không.", zhHans: "按下：是。长按：否。")
    case .once:
      Texts(
        en: "Press: once. Hold: no.", de: "Drücken: einmal. Halten: nein.", ja: "押す：1度だけ。長押し：許可しない。",
        vi: "Nhấn: một lần. Giữ: không.", zhHans: "按下：允许一次。长按：不允许。")
    case .onceOrTwice:
      Texts(
        en: "Press: once. Press twice: while using. Hold: no.",
        de: "Drücken: einmal. Zweimal: beim Verwenden. Halten: nein.", ja: "押す：1度だけ。2度押す：使用中のみ。長押し：許可しない。",
        vi: "Nhấn: một lần. Nhấn đúp: khi sử dụng. Giữ: không.", zhHans: "按下：允许一次。按两下：使用期间。长按：不允许。")
    case .unchanged:
      Texts(
        en: "Press or hold: it stays as it is.", de: "Drücken oder halten: es bleibt, wie es ist.", ja: "押す・長押し：今のまま。",
        vi: "Nhấn hoặc giữ: giữ nguyên như cũ.", zhHans: "按下或长按：保持不变。")
    case .refused:
      Texts(
        en: "Press or hold: no.", de: "Drücken oder halten: nein.", ja: "押す・長押し：いいえ。", vi: "Nhấn hoặc giữ: không.",
        zhHans: "按下或长按：否。")
    }
  }

  /// What is left of a line beside its label.
  package var room: Int? { 68 }
}
