# Made by r/generate.py from the Python functions: change those.

bonobos <- utils::read.csv(text = ",He,Dz,Ho,De,Ko,Re,Ki
He,0,0,1,2,10,63,8
Dz,0,0,2,3,0,88,4
Ho,0,0,0,4,65,84,3
De,0,0,0,0,0,80,10
Ko,0,0,0,0,0,4,1
Re,0,1,5,0,10,0,6
Ki,0,0,0,0,0,2,0", row.names = 1, check.names = FALSE)
bonobos <- as.matrix(bonobos)
