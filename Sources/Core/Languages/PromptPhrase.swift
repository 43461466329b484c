/// The questions that the gateway asks the user in prompts.
package enum PromptPhrase: Phrase {
  case confirm, introduce, authorize, upgrade, always, precise

  package var texts: Texts {
    switch self {
    case .confirm:
      Texts(
        en: "Share with {app} when you press?", de: "Beim Drücken mit {app} teilen?", ja: "押したとき{app}と位置を共有しますか？",
        vi: "Chia sẻ vị trí với {app} khi bạn nhấn?", zhHans: "按下按钮时与{app}分享位置？")
    case .introduce:
      Texts(
        en: "{app} was denied. Allow it with the button?", de: "{app} war abgelehnt. Nun per Knopf erlauben?",
        ja: "{app}は拒否済みです。ボタンで許可しますか？", vi: "{app} đã bị từ chối. Cho dùng nút từ nay?", zhHans: "{app}曾被拒绝。从现在起允许用按钮？")
    case .authorize:
      Texts(
        en: "Share this location with {app}?", de: "Diesen Standort mit {app} teilen?", ja: "{app}に現在地を知らせますか？",
        vi: "Cho {app} biết vị trí hiện tại?", zhHans: "允许{app}获知当前位置？")
    case .upgrade:
      Texts(
        en: "Share location with {app} when not in use?", de: "Standort mit {app} im Hintergrund teilen?",
        ja: "{app}に使用中以外も現在地を知らせますか？", vi: "Cho {app} biết vị trí cả khi không dùng?", zhHans: "未使用时也允许{app}获知位置？")
    case .always:
      Texts(
        en: "{app} asks while not in use. Always allow?", de: "{app} fragt im Hintergrund. Immer erlauben?",
        ja: "{app}が未使用時に要求中。常に許可しますか？", vi: "{app} hỏi khi không dùng. Luôn cho phép?", zhHans: "{app}在未使用时请求位置。始终允许？")
    case .precise:
      Texts(
        en: "Give {app} the precise place during this use?", de: "{app} in diesem Gebrauch genauen Ort geben?",
        ja: "今回の使用中{app}に正確な位置を知らせますか？", vi: "Cho {app} vị trí chính xác lần dùng này?", zhHans: "在本次使用期间给{app}精确位置？")
    }
  }

  /// The width of a terminal line in columns. The longest app name takes 40 columns.
  package var room: Int? { 80 }
}
